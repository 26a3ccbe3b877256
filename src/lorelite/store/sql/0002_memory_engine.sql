-- What the memory engine needs beside the graph: a log of every change, jobs that resume, all fields of facts and tasks.
-- The tables change and job were declared, and never written to, before this version.

drop table change;
drop table job;

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

-- Vectors that could not be made: how often it was tried, and when to try again.
create table vector_failure (
    node_id text not null references node (id) on delete cascade,
    model_id text not null,
    reason text not null,
    attempts integer not null,
    failed_at integer not null,
    primary key (node_id, model_id)
) strict, without rowid;

-- Edges of a document's facts to what was not there when they were read: a part that is read later may tell of it.
create table waiting_edge (
    document_id text not null references document (id) on delete cascade,
    source_id text not null,
    edge_type text not null,
    target_title text not null,
    primary key (document_id, source_id, edge_type, target_title)
) strict, without rowid;

alter table node add column sources text not null default '[]';
alter table node add column usage_window text;
alter table node add column extra text not null default '{}';
create index node_superseded on node (superseded_by) where superseded_by is not null;
create index node_draft on node (namespace, created_at desc, id) where lifecycle = 'draft' and deleted_at is null;

alter table task add column body text not null default '';
alter table task add column related_node_id text;
alter table task add column node_type text;
alter table task add column lifecycle text not null default 'stable' check (lifecycle in ('draft', 'stable', 'deprecated'));
alter table task add column stale_after integer;
alter table task add column generated_by text;
alter table task add column verified text not null default '[]';
alter table task add column sources text not null default '[]';
alter table task add column usage_window text;
alter table task add column extra text not null default '{}';
