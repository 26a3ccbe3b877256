-- Recorded model calls. The table of this name was declared, and never written to, before this version.

drop table call;

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
