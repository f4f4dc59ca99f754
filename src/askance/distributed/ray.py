"""Ray: the cluster of now, the one at an address, or one here for as long as the work lasts."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from askance.distributed.workers import Workers, needed


@contextmanager
def ray_workers(jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Ray's workers. A part whose worker dies is done again by Ray itself."""
    ray = needed("ray", "ray")
    from askance.distributed.ray_tasks import RayParts

    with ExitStack() as stack:
        if not ray.is_initialized():
            connect(jobs, cluster)
            stack.callback(ray.shutdown)
        yield Workers(RayParts, jobs, ray.put, _opened, (ray.exceptions.RayError,), sendings=2)


def connect(jobs: int, cluster: str | None) -> None:
    """Join a cluster, or start one of so many workers here."""
    import ray

    quiet: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    if cluster is None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # else it tells its makers, and the screen
        processors = None if jobs == -1 else jobs
        ray.init(address="local", num_cpus=processors, include_dashboard=False, **quiet)
        return
    try:
        ray.init(address=cluster, **quiet)
    except ConnectionError as fault:
        raise ConnectionError(f"no Ray cluster answers at {cluster}: start one with `ray start --head`") from fault


def _opened(given: Any) -> Any:
    import ray

    return ray.get(given) if isinstance(given, ray.ObjectRef) else given
