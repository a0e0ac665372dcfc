"""Waiting for work on the model's thread."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...runtime.worker import Job


async def result_of(job: Job, outdated: asyncio.Future[None] | None = None) -> Any:
    """Wait for a job's result; once the request is outdated, cancel the job and return None."""
    landed = asyncio.wrap_future(job.future)
    try:
        await asyncio.wait({landed} if outdated is None else {landed, outdated}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if not landed.done():
            landed.add_done_callback(retrieve)
            job.cancel()
    return landed.result() if landed.done() else None


def retrieve(future: asyncio.Future[Any]) -> None:
    """Retrieve the exception of a future that possibly nobody awaits."""
    if not future.cancelled():
        future.exception()
