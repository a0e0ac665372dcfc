"""A model by its hub name: found in the local cache, or downloaded when the user asked for it."""

# The types of huggingface_hub are partly unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import hashlib
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..errors import ModelError, first_line

_SHA256 = re.compile(r"[0-9a-f]{64}")
_FILES = ["*.json", "*.safetensors", "tokenizer.model", "merges.txt", "LICENSE*", "README.md"]


def find(name: str, *, offline: bool, revision: str | None = None) -> Path:
    """The folder of the hub model `name`; the network is used only when `offline` is false."""
    from huggingface_hub import snapshot_download

    with _explained(offline, revision):
        return Path(snapshot_download(name, revision=revision, local_files_only=offline, allow_patterns=_FILES))


def find_file(name: str, file: str, *, offline: bool, revision: str | None = None) -> Path:
    """One file of the hub model `name`; the network is used only when `offline` is false."""
    from huggingface_hub import hf_hub_download

    with _explained(offline, revision):
        return Path(hf_hub_download(name, file, revision=revision, local_files_only=offline))


def check_hash(path: Path) -> None:
    """Raise ModelError unless a large file of the hub's cache is what the hub says that it is.

    The cache keeps such a file under its SHA-256. A file of another place or kind is taken as it is.
    """
    blob = path.resolve()
    if not _SHA256.fullmatch(blob.name):
        return
    with blob.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != blob.name:
        raise ModelError(f"{path.name} is not what the hub has: delete {blob}, and download it again")


@contextmanager
def _explained(offline: bool, revision: str | None) -> Generator[None, None, None]:
    """Say in one line what went wrong with the hub."""
    from huggingface_hub import errors

    at = f" at revision {revision}" if revision else ""
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
        raise ModelError(f"the hub does not have it{at}: check the revision") from None
    except errors.RepositoryNotFoundError:
        raise ModelError("the hub does not know it: check the spelling, or log in if it is private") from None
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled):
        if offline:
            raise ModelError(
                f"there is no such folder, and it is not in the local cache of the hub{at}: download it first"
            ) from None
        raise ModelError(
            f"the hub cannot be reached and the local cache does not have it{at}: try again online"
        ) from None
    except (errors.HfHubHTTPError, OSError) as error:
        raise ModelError(f"the download failed ({first_line(error)}): try again, or name a local folder") from error
