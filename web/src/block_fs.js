/**
 * Files kept in memory as equal blocks that know which of them changed, and an Emscripten file system over them.
 *
 * Nothing here touches storage: a store (block_store.js) asks a volume for a snapshot of its changes, writes it, and
 * acknowledges it. A block counts as changed until a snapshot that holds its newest content is acknowledged, so a
 * failed write loses nothing and several snapshots may be under way at once.
 */

/** @typedef {[file: number, index: number, generation: number]} BlockKey where a stored block lies */
/** @typedef {{name: string, id: number, size: number, modified: number, generations: Uint32Array}} FileHead */
/** @typedef {{file: BlockFile, index: number, key: BlockKey, data: Uint8Array}} BlockWrite */
/** @typedef {{seq: number, generation: number, nextId: number, files: FileHead[], writes: BlockWrite[]}} Snapshot */

const ERRNO = { EINVAL: 28, ENODEV: 43, ENOENT: 44, EPERM: 63 };
const FOLDER = 0o040777;
const FILE = 0o100666;

/** One file: a growable list of blocks; a missing block is a hole and reads as zeros. */
export class BlockFile {
  /** @param {Volume} volume @param {number} id */
  constructor(volume, id) {
    this.volume = volume;
    this.id = id;
    this.size = 0;
    this.modified = Date.now();
    /** @type {(Uint8Array | undefined)[]} */
    this.blocks = [];
    /** @type {Map<number, number>} block → the volume's sequence number at its last change */
    this.changed = new Map();
    /** @type {Map<number, number>} block → the generation under which storage holds it */
    this.stored = new Map();
  }

  /**
   * Copy bytes from `position` into `target`; the number of bytes there were.
   * @param {Uint8Array} target @param {number} position
   */
  read(target, position) {
    const length = Math.max(0, Math.min(target.length, this.size - position));
    this.#walk(position, length, (index, start, at, count) => {
      const block = this.blocks[index];
      if (block) target.set(block.subarray(start, start + count), at);
      else target.fill(0, at, at + count);
    });
    return length;
  }

  /**
   * Write all of `source` at `position`, growing the file when needed.
   * @param {Uint8Array} source @param {number} position
   */
  write(source, position) {
    const seq = this.#change();
    this.#walk(position, source.length, (index, start, at, count) => {
      const block = (this.blocks[index] ??= new Uint8Array(this.volume.blockSize));
      block.set(source.subarray(at, at + count), start);
      this.changed.set(index, seq);
    });
    this.size = Math.max(this.size, position + source.length);
    return source.length;
  }

  /** Cut or extend the file; what a later extension uncovers reads as zeros. @param {number} size */
  truncate(size) {
    if (size === this.size) return;
    const seq = this.#change();
    const { blockSize } = this.volume;
    const kept = Math.ceil(size / blockSize);
    if (size < this.size) {
      this.blocks.length = Math.min(this.blocks.length, kept);
      for (const index of this.changed.keys()) if (index >= kept) this.changed.delete(index);
      for (const index of this.stored.keys()) if (index >= kept) this.drop(index);
      const tail = size % blockSize;
      const last = this.blocks[kept - 1];
      if (tail && last) {
        last.fill(0, tail);
        this.changed.set(kept - 1, seq);
      }
    }
    this.size = size;
  }

  /**
   * The stored copy of a block is needed no longer, once the change that made it so is stored.
   * @param {number} index
   */
  drop(index) {
    const generation = this.stored.get(index);
    if (generation === undefined) return;
    this.stored.delete(index);
    this.volume.dropped.push({ key: [this.id, index, generation], seq: this.volume.seq });
  }

  #change() {
    this.modified = Date.now();
    return ++this.volume.seq;
  }

  /**
   * Visit the pieces of a byte range, block by block.
   * @param {number} position @param {number} length
   * @param {(index: number, start: number, at: number, count: number) => void} visit
   */
  #walk(position, length, visit) {
    const { blockSize } = this.volume;
    for (let at = 0; at < length; ) {
      const index = Math.floor((position + at) / blockSize);
      const start = (position + at) % blockSize;
      const count = Math.min(blockSize - start, length - at);
      visit(index, start, at, count);
      at += count;
    }
  }
}

/** The files of one mount: a flat folder. */
export class Volume {
  /** @param {number} [blockSize] bytes; what one changed byte costs at the next flush */
  constructor(blockSize = 32768) {
    this.blockSize = blockSize;
    /** @type {Map<string, BlockFile>} */
    this.files = new Map();
    this.nextId = 1;
    /** counts changes; equal to `durable` when storage holds everything */
    this.seq = 0;
    this.durable = 0;
    /** @type {{key: BlockKey, seq: number}[]} stored blocks that the change number `seq` made useless */
    this.dropped = [];
  }

  get isDirty() {
    return this.durable < this.seq;
  }

  /** bytes that the next snapshot writes */
  get changedBytes() {
    return [...this.files.values()].reduce((sum, file) => sum + file.changed.size, 0) * this.blockSize;
  }

  /** @param {string} name */
  create(name) {
    const file = new BlockFile(this, this.nextId++);
    this.seq++;
    this.files.set(name, file);
    return file;
  }

  /** @param {string} name */
  remove(name) {
    const file = this.files.get(name);
    if (!file) return;
    this.seq++;
    this.files.delete(name);
    for (const index of [...file.stored.keys()]) file.drop(index);
  }

  /** @param {string} from @param {string} to a file of that name is replaced */
  rename(from, to) {
    const file = this.files.get(from);
    if (!file || from === to) return;
    this.remove(to);
    this.seq++;
    this.files.delete(from);
    this.files.set(to, file);
  }

  /** A file as it is stored, its blocks still to be filled in. @param {FileHead} head */
  restore(head) {
    const file = new BlockFile(this, head.id);
    file.size = head.size;
    file.modified = head.modified;
    head.generations.forEach((generation, index) => generation && file.stored.set(index, generation));
    this.files.set(head.name, file);
    return file;
  }

  /** Forget what storage held, as when it was cleared behind our back: everything is to be written again. */
  forgetStored() {
    this.seq++;
    this.dropped = [];
    for (const file of this.files.values()) {
      file.stored.clear();
      file.blocks.forEach((block, index) => block && file.changed.set(index, this.seq));
    }
  }

  /**
   * What to write to bring storage up to this moment. The data are the live blocks: copy them at once.
   * @param {number} generation @returns {Snapshot}
   */
  snapshot(generation) {
    /** @type {BlockWrite[]} */
    const writes = [];
    const files = [...this.files].map(([name, file]) => {
      const generations = new Uint32Array(Math.ceil(file.size / this.blockSize));
      for (const [index, stored] of file.stored) generations[index] = stored;
      for (const index of file.changed.keys()) {
        generations[index] = generation;
        const data = /** @type {Uint8Array} */ (file.blocks[index]);
        writes.push({ file, index, key: [file.id, index, generation], data });
      }
      return { name, id: file.id, size: file.size, modified: file.modified, generations };
    });
    return { seq: this.seq, generation, nextId: this.nextId, files, writes };
  }

  /**
   * Storage holds this snapshot: returns the keys of the stored blocks that neither it nor anything newer needs.
   * @param {Snapshot} snapshot @returns {BlockKey[]}
   */
  acknowledge(snapshot) {
    const live = new Set(this.files.values());
    /** @type {BlockKey[]} */
    const useless = [];
    for (const { file, index } of snapshot.writes) {
      const before = file.stored.get(index);
      if (before !== undefined) useless.push([file.id, index, before]);
      file.stored.set(index, snapshot.generation);
      const changed = file.changed.get(index);
      if (changed !== undefined && changed <= snapshot.seq) file.changed.delete(index);
      if (!live.has(file) || !file.blocks[index]) file.drop(index);
    }
    useless.push(...this.dropped.filter(({ seq }) => seq <= snapshot.seq).map(({ key }) => key));
    this.dropped = this.dropped.filter(({ seq }) => seq > snapshot.seq);
    this.durable = Math.max(this.durable, snapshot.seq);
    return useless;
  }
}

/**
 * Mount a volume as a flat folder of an Emscripten file system (`pyodide.FS`).
 * @param {any} FS Emscripten's FS object, which has no usable types for writing a file system
 * @param {string} mountpoint made when absent
 * @param {Volume} volume
 */
export function mount(FS, mountpoint, volume) {
  /** @param {number} code @returns {never} */
  const fail = (code) => {
    throw new FS.ErrnoError(code);
  };

  /** @param {any} node */
  const attributes = (node) => {
    const size = node.file ? node.file.size : 0;
    const time = new Date(node.file ? node.file.modified : 0);
    const fixed = { dev: 1, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096 };
    return { ...fixed, ino: node.id, mode: node.mode, size, blocks: Math.ceil(size / 512), atime: time, mtime: time, ctime: time };
  };

  /** @param {any} parent @param {string} name @param {BlockFile} file */
  const fileNode = (parent, name, file) => {
    const node = FS.createNode(parent, name, FILE, 0);
    return Object.assign(node, { file, node_ops: fileOps, stream_ops: streamOps });
  };

  const fileOps = {
    getattr: attributes,
    /** @param {any} node @param {{mode?: number, size?: number}} change */
    setattr(node, change) {
      if (change.mode !== undefined) node.mode = change.mode;
      if (change.size !== undefined) node.file.truncate(change.size);
    },
  };

  const streamOps = {
    /** @param {any} stream @param {number} offset @param {number} whence */
    llseek(stream, offset, whence) {
      const start = whence === 1 ? stream.position : whence === 2 ? stream.node.file.size : 0;
      return start + offset >= 0 ? start + offset : fail(ERRNO.EINVAL);
    },
    /** @param {any} stream @param {Int8Array} memory @param {number} offset @param {number} length @param {number} position */
    read: (stream, memory, offset, length, position) => stream.node.file.read(bytes(memory, offset, length), position),
    /** @param {any} stream @param {Int8Array} memory @param {number} offset @param {number} length @param {number} position */
    write: (stream, memory, offset, length, position) =>
      length ? stream.node.file.write(bytes(memory, offset, length), position) : 0,
    // A mapping would be a copy that goes stale; SQLite reads instead.
    mmap: () => fail(ERRNO.ENODEV),
    msync: () => 0,
  };

  const folderOps = {
    getattr: attributes,
    /** @param {any} node @param {{mode?: number}} change */
    setattr(node, change) {
      if (change.mode !== undefined) node.mode = change.mode;
    },
    /** @param {any} parent @param {string} name */
    lookup: (parent, name) => fileNode(parent, name, volume.files.get(name) ?? fail(ERRNO.ENOENT)),
    /** @param {any} parent @param {string} name @param {number} mode */
    mknod: (parent, name, mode) => (FS.isFile(mode) ? fileNode(parent, name, volume.create(name)) : fail(ERRNO.EPERM)),
    /** @param {any} node @param {any} folder @param {string} name */
    rename(node, folder, name) {
      if (folder.mount !== node.mount) fail(ERRNO.EPERM);
      volume.rename(node.name, name);
      node.name = name;
    },
    /** @param {any} _parent @param {string} name */
    unlink: (_parent, name) => volume.remove(name),
    rmdir: () => fail(ERRNO.EPERM),
    symlink: () => fail(ERRNO.EPERM),
    readdir: () => [".", "..", ...volume.files.keys()],
  };

  FS.mkdirTree(mountpoint);
  const { llseek } = streamOps;
  const root = () => Object.assign(FS.createNode(null, "/", FOLDER, 0), { node_ops: folderOps, stream_ops: { llseek } });
  FS.mount({ mount: root }, {}, mountpoint);
}

/** @param {Int8Array | Uint8Array} memory @param {number} offset @param {number} length */
function bytes(memory, offset, length) {
  return new Uint8Array(memory.buffer, memory.byteOffset + offset, length);
}
