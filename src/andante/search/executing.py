"""Which executor a bench runs on: processes here or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from andante.search.cluster import Cluster
from andante.search.executor import Executor, ExecutorError, executor_for


@contextmanager
def executing(
    workers: int, cluster: str | None, inputs: Mapping[str, str], told: Callable[[str], None] = lambda text: None
) -> Iterator[Executor]:
    """The executor of processes here or, where a cluster is named, of that; it is left in the end.

    Args:
        workers: Number of processes; 1 where a cluster is named.
        cluster: See `andante.search.cluster.Cluster`; None: no cluster.
        inputs: SHA-256 by name of the files that tasks read.
        told: Is told of every worker that died.

    Raises:
        ExecutorError: Fewer than one worker, or both are asked for.
        ClusterError: The cluster cannot be used.
    """
    if cluster is None:
        yield executor_for(workers, told)
        return
    if workers != 1:
        raise ExecutorError("a cluster has workers of its own", value=workers, remedy="leave --workers out")
    with Cluster(cluster, inputs, told) as found:
        yield found
