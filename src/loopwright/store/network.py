"""Whether a folder is on a network file system, where locks and syncs do not keep what they promise."""

from pathlib import Path

NETWORK = frozenset({
    "9p", "afs", "ceph", "cifs", "davfs", "fuse.ceph", "fuse.davfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs",
    "fuse.sshfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "smb3", "smbfs",
})  # fmt: skip
MOUNTS = Path("/proc/self/mountinfo")


def network_type(folder: Path, mounts: str | None = None) -> str | None:
    """The type of the network file system that holds `folder`, or None. `mounts`: text as in /proc/self/mountinfo."""
    kind = file_system(folder, mounts)
    return kind if kind in NETWORK else None


def file_system(folder: Path, mounts: str | None = None) -> str | None:
    """The type of the file system that holds `folder` (a real path), or None where that is not known.

    The type's name is asked for, not the number of statfs: all FUSE file systems share one.
    """
    text = MOUNTS.read_text() if mounts is None else mounts
    best, kind = "", None
    for line in text.splitlines():
        left, _, right = line.partition(" - ")
        point = left.split()[4].replace("\\040", " ")
        if len(point) >= len(best) and folder.is_relative_to(point):
            best, kind = point, right.split()[0]
    return kind
