-- What graph, vector and key-value stores keep in a file. Nodes and edges of a graph store are rows of node and edge.

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
