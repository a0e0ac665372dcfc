"""A model by its hub name: found in the local cache, or downloaded at the user's request."""

# The types of huggingface_hub are partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import hashlib
import re
import shutil
import socket
import ssl
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from ..errors import ModelError, first_line
from .memory import in_words

_SHA256 = re.compile(r"[0-9a-f]{64}")
_FILES = ["*.json", "*.safetensors", "tokenizer.model", "merges.txt", "LICENSE*", "README.md"]
_PIECE = 1 << 20  # bytes between two progress reports of a download
_LOOK_S = 1.0  # between two looks at another process's download
_SILENCE_S, _PAUSE_S, _FAILURES = (
    30.0,
    1.0,
    5,
)  # the timeout of a silent connection, the pause before a retry, the number of retries


def client() -> ModuleType:
    """The hub's own client, without requests of its own accord.

    For its headers, made even for a look into its cache, it would ask the hub once a day for the list of agents.
    """
    import huggingface_hub
    from huggingface_hub import constants

    constants.HF_HUB_DISABLE_TELEMETRY = True
    return huggingface_hub


def find(name: str, *, offline: bool, revision: str | None = None, given: str | None = None) -> Path:
    """The folder of the hub model `name`; the network is used only when `offline` is false. given: the user's name for it, if another."""
    with _explained(offline, revision, given or name):
        folder = client().snapshot_download(name, revision=revision, local_files_only=offline, allow_patterns=_FILES)
        return Path(folder)


Progress = Callable[[int, int], None]
"""Called with (bytes so far, bytes in all); its exception ends the download, to be resumed the next time."""


def find_file(
    name: str, file: str, *, offline: bool, revision: str | None = None, given: str | None = None,
    progress: Progress | None = None,
) -> Path:  # fmt: skip
    """One file of the hub model `name`; the network is used only when `offline` is false, and an interrupted download is resumed. given: as
    for `find`."""
    with _explained(offline, revision, given or name):
        hub = client()
        if not offline:
            _resume(name, file, revision, progress or (lambda here, of: None))
        return Path(hub.hf_hub_download(name, file, revision=revision, local_files_only=offline))


def _resume(name: str, file: str, revision: str | None, progress: Progress) -> None:
    """Download a file into the hub's cache, for its own client to find there: that client starts over after each interruption."""
    from filelock import FileLock, Timeout
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.utils import build_hf_headers

    url = hf_hub_url(name, file, revision=revision)
    about = get_hf_file_metadata(url)
    if about.etag is None or about.size is None or not _SHA256.fullmatch(about.etag):
        return  # a small file, quickly downloaded again
    blobs = Path(constants.HF_HUB_CACHE, "models--" + name.replace("/", "--"), "blobs")
    whole, part = blobs / about.etag, blobs / f"{about.etag}.suture"
    blobs.mkdir(parents=True, exist_ok=True)
    lock = FileLock(f"{part}.lock")
    while True:
        try:
            with lock.acquire(timeout=_LOOK_S):
                if not whole.exists():
                    _fetch(url, build_hf_headers(), part, about.size, progress)
                    part.replace(whole)
                return
        except Timeout:  # another process downloads it
            progress(part.stat().st_size if part.exists() else 0, about.size)


def _fetch(url: str, headers: dict[str, str], part: Path, size: int, progress: Progress) -> None:
    """Append the missing rest to a partial file."""
    import httpx2

    failures = 0
    while True:
        here = part.stat().st_size if part.exists() else 0
        if here > size:
            part.unlink()
            continue
        progress(here, size)
        if here == size:
            return
        if shutil.disk_usage(part.parent).free < size - here:
            raise ModelError(f"the disk of {part.parent} has no room for it: make room for {in_words(size - here)}")
        try:
            ask = {**headers, "Range": f"bytes={here}-"}
            with httpx2.stream("GET", url, headers=ask, follow_redirects=True, timeout=_SILENCE_S) as answer:
                answer.raise_for_status()
                begun_anew = answer.status_code != 206  # the server sends all of it again
                with part.open("wb" if begun_anew else "ab") as out:
                    here = 0 if begun_anew else here
                    for piece in answer.iter_bytes(_PIECE):
                        out.write(piece)
                        here += len(piece)
                        failures = 0
                        progress(here, size)
        except httpx2.HTTPError as error:
            failures += 1
            if failures > _FAILURES or (isinstance(error, httpx2.HTTPStatusError) and error.response.status_code < 500):
                raise OSError(first_line(error)) from error
            time.sleep(_PAUSE_S)


def check_hash(path: Path, expected: str | None = None) -> None:
    """Raise ModelError unless a large file of the hub's cache has the hub's hash; a damaged one is deleted.

    The cache keeps such a file under its SHA-256. Other files are accepted unchecked, unless their hash is `expected`.
    """
    blob = path.resolve()
    said = _SHA256.fullmatch(blob.name) is not None
    if not said and expected is None:
        return
    with blob.open("rb") as file:
        computed = hashlib.file_digest(file, "sha256").hexdigest()
    if said and computed != blob.name:
        blob.unlink()
        raise ModelError(f"{path.name} was damaged during the download, and is deleted: download it again")
    if expected is not None and computed != expected:
        raise ModelError(
            f"{path.name} is not the file that Suture knows (its SHA-256 is {computed}, not {expected}): "
            "if you trust it, use it by its path or hub name"
        )


@contextmanager
def _explained(offline: bool, revision: str | None, name: str) -> Generator[None, None, None]:
    """Turn the hub's errors into a ModelError of one line."""
    import httpx2
    from huggingface_hub import errors

    at_revision = f" at revision {revision}" if revision else ""
    try:
        yield
    except errors.HFValidationError:
        raise ModelError(
            "there is no such folder, and it is not a hub name (owner/model): check the spelling"
        ) from None
    except errors.GatedRepoError:
        raise ModelError(
            "its owner asks for consent: accept the terms on its hub page and log in (hf auth login)"
        ) from None
    except errors.RevisionNotFoundError:
        raise ModelError(f"the hub does not have it{at_revision}: check the revision") from None
    except errors.RepositoryNotFoundError:
        raise ModelError("the hub does not know it: check the spelling, or log in if it is private") from None
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled):
        if offline:
            option = f" --revision {revision}" if revision else ""
            raise ModelError(
                f"it is neither a folder nor in the local cache of the hub{at_revision}: "
                f"`suture models pull {name}{option}` downloads it"
            ) from None
        raise ModelError(
            f"the hub cannot be reached and the local cache does not have it{at_revision}: try again online"
        ) from None
    except httpx2.TransportError as error:
        raise ModelError(
            f"the hub cannot be reached ({_why(error)}): try again online, or name a local folder"
        ) from error
    except (httpx2.HTTPError, OSError) as error:
        raise ModelError(f"the download failed ({_why(error)}): try again, or name a local folder") from error


_ERRNO = re.compile(r"^\[Errno -?\d+\] ")
_REASONS: tuple[tuple[type[BaseException], str], ...] = (
    (socket.gaierror, "its host is not found; is there a network?"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted; SSL_CERT_FILE names those that are"),
    (ConnectionRefusedError, "the connection is refused"),
    (TimeoutError, "there is no answer"),
)


def _why(error: BaseException) -> str:
    """The reason for a failed download, by the system's error behind it, without its number."""
    cause: BaseException | None = error
    while cause is not None:
        for kind, words in _REASONS:
            if isinstance(cause, kind):
                return words
        cause = cause.__cause__ or cause.__context__
    return _ERRNO.sub("", first_line(error))
