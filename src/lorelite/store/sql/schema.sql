-- The present schema of a Lorelite file: what all migrations together make (a test compares). Times are ms UTC.
-- Keyword indexes are FTS5 tables per namespace, keyword_<number> of passages and keyword_<number>_names of entities,
-- made when a namespace is first written to, keyword_<number>_questions and keyword_<number>_reports when there are
-- some (see store/keyword_parts.py): statistics and cost of one namespace never depend on another.

create table meta (
    key text primary key,
    value text not null
) strict, without rowid;

create table namespace (
    name text primary key,
    number integer not null unique,                -- names the namespace's keyword table
    tokenizer_version integer,                     -- of the terms in that table; null: the table does not mirror the nodes
    created_at integer not null
) strict, without rowid;

-- One piece of raw input. upsert_graph claims its source here too, with empty text.
create table document (
    id text primary key,
    namespace text not null,
    source_ref text not null,                      -- as the caller gave it: any script, any path
    source_hash text not null,
    text text not null,
    origin text not null,                          -- structure | model | heuristic | stated
    status text not null check (status in ('partial', 'complete')),
    created_at integer not null,
    updated_at integer not null,
    metadata text not null default '{}'            -- JSON of what the caller said of it
) strict;
create unique index document_source on document (namespace, source_ref, source_hash);
create index document_hash on document (namespace, source_hash);

-- Every fact, entity, chunk, question and community report.
create table node (
    key integer primary key,                       -- rowid of the node in its namespace's keyword table
    id text not null unique,
    namespace text not null,
    kind text not null check (kind in ('fact', 'entity', 'chunk', 'question', 'report')),
    title text not null,
    title_key text not null,                       -- normalised title: how edges and mentions find their node
    body text not null default '',
    node_type text,
    tags text not null default '[]',               -- JSON array
    confidence text not null default 'inferred' check (confidence in ('certain', 'inferred', 'tentative')),
    source_type text not null default 'librarian_inferred'
        check (source_type in ('user_stated', 'user_confirmed', 'librarian_inferred', 'immutable_document')),
    origin text not null default 'stated' check (origin in ('stated', 'structure', 'model', 'heuristic')),
    lifecycle text not null default 'stable' check (lifecycle in ('draft', 'stable', 'deprecated')),
    source_ref text,
    source_hash text,
    content_hash text not null,                    -- of what is embedded: a vector of another hash is stale
    created_at integer not null,
    updated_at integer not null,
    valid_from integer,
    valid_to integer,
    superseded_by text,
    superseded_at integer,
    stale_after integer,
    generated_by text,
    verified text not null default '[]',           -- JSON array of {by, at}
    last_verified_at integer,
    healed_at integer,
    typed_at integer,
    last_accessed_at integer,
    access_count integer not null default 0,
    deleted_at integer,
    sources text not null default '[]',            -- JSON array of what a fact rests on beside its own document
    usage_window text,                             -- JSON {from, to}: when a fact was of use
    extra text not null default '{}'               -- JSON of fields that came with an import and mean nothing here
) strict;
create index node_recent on node (namespace, kind, updated_at desc, id) where deleted_at is null;
create index node_title on node (namespace, title_key, kind);
create index node_source on node (namespace, source_ref, source_hash) where source_ref is not null;
create index node_type on node (namespace, node_type) where node_type is not null;
create index node_deleted on node (namespace, deleted_at) where deleted_at is not null;
create index node_superseded on node (superseded_by) where superseded_by is not null;
create index node_draft on node (namespace, created_at desc, id) where lifecycle = 'draft' and deleted_at is null;
create index node_stated on node (namespace, source_type) where kind = 'fact' and origin = 'stated' and deleted_at is null;

-- Other names of a node, and who says so.
create table alias (
    namespace text not null,
    alias_key text not null,
    node_id text not null references node (id) on delete cascade,
    document_id text not null references document (id) on delete cascade,
    primary key (namespace, alias_key, node_id, document_id)
) strict, without rowid;
create index alias_node on alias (node_id);
create index alias_document on alias (document_id);

-- What one document says of a node that several may share. A node made by documents lives while one supports it.
create table support (
    node_id text not null references node (id) on delete cascade,
    document_id text not null references document (id) on delete cascade,
    ordinal integer not null default -1,           -- of the chunk; -1: the document as a whole
    title text not null,
    node_type text,
    body text not null default '',
    primary key (node_id, document_id, ordinal)
) strict, without rowid;
create index support_chunk on support (document_id, ordinal);

-- A span of a document that supports a node or an edge; the quote is text[start:end], so it cannot drift.
create table citation (
    owner_id text not null,                        -- of a node or an edge
    document_id text not null references document (id) on delete cascade,
    start integer not null,
    "end" integer not null,
    primary key (owner_id, document_id, start, "end")
) strict, without rowid;
create index citation_span on citation (document_id, start);

-- The chunks of a document in order, and whether extraction has finished with each.
create table chunk (
    document_id text not null references document (id) on delete cascade,
    ordinal integer not null,
    node_id text not null,
    start integer not null,
    "end" integer not null,
    state text not null check (state in ('pending', 'done', 'failed')),
    failure text,
    finished text not null default '[]',           -- JSON array: the processors that are done with it beside extraction
    primary key (document_id, ordinal)
) strict, without rowid;
create index chunk_node on chunk (node_id);

-- Edges of a document's facts to what was not there when they were read: a part that is read later may tell of it.
create table waiting_edge (
    document_id text not null references document (id) on delete cascade,
    source_id text not null,
    edge_type text not null,
    target_title text not null,
    primary key (document_id, source_id, edge_type, target_title)
) strict, without rowid;

-- Every relation. An edge is live while both its nodes are: it ends with a node and returns with it.
create table edge (
    id text primary key,
    namespace text not null,
    source_id text not null,
    edge_type text not null,
    target_id text not null,
    weight real not null default 1.0,
    description text not null default '',
    confidence text not null default 'certain' check (confidence in ('certain', 'inferred', 'tentative')),
    origin text not null default 'stated' check (origin in ('stated', 'structure', 'model', 'heuristic')),
    source_ref text,
    source_hash text,
    created_at integer not null,
    updated_at integer not null,
    valid_from integer,
    valid_to integer,
    superseded_by text
) strict;
create index edge_out on edge (namespace, source_id, edge_type, target_id);
create index edge_in on edge (namespace, target_id, edge_type, source_id);
create index edge_source on edge (namespace, source_ref, source_hash) where source_ref is not null;

-- What one chunk of a document says of an edge of that document; the edge's row is computed from these.
create table statement (
    edge_id text not null references edge (id) on delete cascade,
    document_id text not null references document (id) on delete cascade,
    ordinal integer not null,                      -- of the chunk; -1: what was said before there were statements
    weight real not null,
    description text not null default '',
    primary key (edge_id, document_id, ordinal)
) strict, without rowid;
create index statement_chunk on statement (document_id, ordinal);

create table vector (
    node_id text not null references node (id) on delete cascade,
    model_id text not null,
    content_hash text not null,
    dimensions integer not null,
    data blob not null,                            -- float32, little endian
    created_at integer not null,
    primary key (node_id, model_id)
) strict;

-- Vectors that could not be made: how often it was tried, and when to try again.
create table vector_failure (
    node_id text not null references node (id) on delete cascade,
    model_id text not null,
    reason text not null,
    attempts integer not null,
    failed_at integer not null,
    primary key (node_id, model_id)
) strict, without rowid;

create table task (
    id text primary key,
    namespace text not null,
    description text not null,
    status text not null default 'pending' check (status in ('pending', 'in_progress', 'done', 'abandoned')),
    priority integer not null default 0 check (priority between 0 and 10),
    origin text not null default 'stated',
    created_at integer not null,
    updated_at integer not null,
    resolved_at integer,
    deleted_at integer,
    body text not null default '',
    related_node_id text,
    node_type text,
    lifecycle text not null default 'stable' check (lifecycle in ('draft', 'stable', 'deprecated')),
    stale_after integer,
    generated_by text,
    verified text not null default '[]',
    sources text not null default '[]',
    usage_window text,
    extra text not null default '{}'
) strict;
create index task_open on task (namespace, status, priority desc, created_at, id) where deleted_at is null;

create table event (
    sequence integer primary key autoincrement,    -- the watermark of jobs that read events once
    id text not null unique,
    namespace text not null,
    event_type text not null check (event_type in ('observation', 'decision', 'action', 'outcome')),
    summary text not null,
    related_node_id text,
    created_at integer not null
) strict;
create index event_recent on event (namespace, sequence desc);

create table ontology (
    namespace text primary key,
    mode text not null check (mode in ('off', 'emergent', 'strict')),
    manifest text not null,                        -- JSON
    updated_at integer not null
) strict, without rowid;

-- Clusters of entities. Level 0 is the coarsest.
create table community (
    namespace text not null,
    id text not null,
    level integer not null,
    parent text,                                   -- on the level above
    is_final integer not null,                     -- 0: it was clustered again on the next level
    occurrence real not null,
    title text not null default '',
    primary key (namespace, id)
) strict, without rowid;

create table member (
    namespace text not null,
    community_id text not null,
    node_id text not null references node (id) on delete cascade,
    primary key (namespace, community_id, node_id),
    foreign key (namespace, community_id) references community (namespace, id) on delete cascade
) strict, without rowid;
create index member_node on member (node_id);

-- What the pipeline of a namespace remembers from one run to the next.
create table memo (
    namespace text not null,
    name text not null,
    value text not null,                           -- JSON
    primary key (namespace, name)
) strict, without rowid;

create table merge (
    namespace text not null,
    from_id text not null,
    into_id text not null,
    reason text not null,
    merged_at integer not null,
    undo text,                                     -- JSON of what the merge changed
    primary key (namespace, from_id)
) strict, without rowid;
create index merge_into on merge (namespace, into_id);

create table job (
    id text primary key,
    namespace text not null,
    kind text not null,
    caller text not null check (caller in ('call', 'auto')),
    state text not null check (state in ('pending', 'running', 'done', 'failed')),
    watermark integer not null default 0,          -- how far this kind of job has read, e.g. event.sequence
    progress text not null default '{}',           -- JSON: what an interrupted run goes on from
    report text,                                   -- JSON
    error text,
    owner text,                                    -- the open file that runs it
    lease_until integer,                           -- a running job whose lease is over was interrupted
    created_at integer not null,
    updated_at integer not null
) strict;
create index job_namespace on job (namespace, kind, created_at desc);

-- Every change of a logged table, in order: the outbox, and what diff, restore and undo go by. A row after a change
-- is `before` of the record's next change, or the record itself: nothing is stored twice.
create table change (
    sequence integer primary key autoincrement,
    revision integer not null,                     -- sequence of the first change of the same transaction
    namespace text not null,
    table_name text not null,
    record_id text not null,                       -- primary key; of several columns, a JSON array
    operation text not null check (operation in ('insert', 'update', 'delete')),
    before text,                                   -- JSON of the row as it was; null for an insert
    cause text not null,                           -- which call or job: 'forget', 'librarian', …
    created_at integer not null
) strict;
create index change_record on change (table_name, record_id, sequence) where before is not null;
create index change_namespace on change (namespace, sequence);
create index change_past on change (namespace, created_at) where before is not null;

-- How far each reader of the log has got.
create table consumer (
    name text primary key,
    sequence integer not null default 0,
    updated_at integer not null
) strict, without rowid;

-- What many calls have in common, once.
create table call_frame (
    id integer primary key,
    hash text not null unique,                     -- of all the rest
    kind text not null check (kind in ('text', 'vector')),
    model text not null,
    parameters text not null,                      -- JSON of what beside its name decides the model's replies; no key
    system text not null,
    schema text                                    -- JSON Schema of the wanted reply; null: prose
) strict;

-- One call of a language model or an embedder, and what came of it. The long columns come last.
create table call (
    id integer primary key autoincrement,          -- in the order of recording
    prompt text not null,                          -- hash of the system text, the user text and the schema
    frame_id integer not null references call_frame (id),
    namespace text not null,
    purpose text not null,
    source_ref text not null,                      -- of the document that the prompt quotes; '': none, or several
    status text not null check (status in ('ok', 'partial', 'none', 'error')),
    error text not null,                           -- which kind of error, never its message; '': none
    finish text not null,
    input_tokens integer not null,
    output_tokens integer not null,
    tokens_estimated integer not null,             -- 1: the endpoint counted none
    cost real,                                     -- null: the model has no known price
    duration_ms integer not null,
    created_at integer not null,
    is_copy integer not null,                      -- 1: answered by a call of another namespace or document
    used integer not null default 0,               -- how often it has answered another call
    user text not null,
    reply text not null                            -- of an embedder: base64 of float32, little endian
) strict;
create index call_prompt on call (prompt);
create index call_recent on call (namespace, created_at desc, id desc);
create index call_source on call (namespace, source_ref);
create index call_framed on call (frame_id);

-- Graph, vector and key-value stores (lorelite.adapters). Nodes and edges of a graph store are rows of node and edge.

-- The id that a graph store knows a node by, and what it was given for it.
create table graph_node (
    namespace text not null,
    id text not null,
    node_id text not null unique references node (id) on delete cascade,
    data text not null,                            -- JSON
    primary key (namespace, id)
) strict, without rowid;

-- What a graph store was given for an edge. An edge is one of an unordered pair of nodes and a type.
create table graph_edge (
    edge_id text primary key references edge (id) on delete cascade,
    data text not null                             -- JSON
) strict, without rowid;

create table vector_index (
    namespace text not null,
    name text not null,
    dimension integer not null,
    metric text not null check (metric in ('cosine', 'euclidean', 'dotproduct')),
    version integer not null default 0,            -- counts changes: what is in memory is of one version
    primary key (namespace, name)
) strict, without rowid;

create table indexed_vector (
    namespace text not null,
    index_name text not null,
    id text not null,
    data blob not null,                            -- float32, little endian
    metadata text not null,                        -- JSON
    document text,
    primary key (namespace, index_name, id),
    foreign key (namespace, index_name) references vector_index (namespace, name) on delete cascade
) strict;

create table stored_value (
    namespace text not null,
    key text not null,
    value text not null,                           -- JSON
    primary key (namespace, key)
) strict;
