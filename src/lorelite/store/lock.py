"""The one-writer guard across processes: an advisory lock on `<file>.lock`, dropped by the system if we die."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from lorelite.errors import CannotOpen, StorageFull, WriterLocked

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class WriterLock:
    """Held from construction to `release`. Raises WriterLocked when another holder exists, in any process."""

    def __init__(self, path: str) -> None:
        # The real path: a file reached over a link is the same file.
        self._path = f"{os.path.realpath(path)}.lock"
        while True:
            try:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as error:
                if error.errno in NO_ROOM:
                    raise StorageFull(path, str(error)) from error
                raise CannotOpen(
                    path, f"its folder cannot be written ({error.strerror}); open it with read_only=True"
                ) from error
            try:
                _lock(self._file)
            except OSError as error:
                owner = os.read(self._file, 64).decode("ascii", "replace").strip() or "another process"
                os.close(self._file)
                raise WriterLocked(path, owner) from error
            if self._is_current():
                break
            os.close(self._file)  # its last holder removed the name while we waited: take the new one
        # On a full disk the lock holds without a name.
        with suppress(OSError):
            os.ftruncate(self._file, 0)
            os.write(self._file, f"process {os.getpid()}".encode("ascii"))

    def _is_current(self) -> bool:
        try:
            return os.stat(self._path).st_ino == os.fstat(self._file).st_ino
        except FileNotFoundError:
            return False

    def release(self) -> None:
        # Removing the name while still holding the lock keeps a folder tidy without a race.
        Path(self._path).unlink(missing_ok=True)
        os.close(self._file)


def _lock(file: int) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt

    # Far beyond the text in the file, so that others can still read who holds it.
    os.lseek(file, 1 << 30, os.SEEK_SET)
    msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    os.lseek(file, 0, os.SEEK_SET)
