-- What a knowledge graph that is built chunk by chunk needs: which processors have finished with a chunk, what each
-- chunk says of a relation, communities with their place in the hierarchy, and what a pipeline remembers.
-- The table community was declared, and never written to, before this version.

alter table document add column metadata text not null default '{}';
alter table chunk add column finished text not null default '[]';

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

-- Facts that may be entities: see store/entity_graph.py.
create index node_stated on node (namespace, source_type) where kind = 'fact' and origin = 'stated' and deleted_at is null;

drop index support_document;
create index support_chunk on support (document_id, ordinal);

drop table community;

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

-- Questions and reports get keyword tables of their own: where there are some, the index is built anew when it is needed.
update namespace set tokenizer_version = null
 where exists (select 1 from node n
                where n.namespace = namespace.name and n.kind in ('question', 'report') and n.deleted_at is null);
