"""A model by its hub name: found in the local cache, or downloaded when the user asked for it."""

from pathlib import Path

from ..errors import ModelError, first_line

_FILES = ["*.json", "*.safetensors", "tokenizer.model", "merges.txt", "LICENSE*", "README.md"]


def find(name: str, *, offline: bool, revision: str | None = None) -> Path:
    """The folder of the hub model `name`; the network is used only when `offline` is false."""
    from huggingface_hub import errors, snapshot_download

    at = f" at revision {revision}" if revision else ""
    try:
        return Path(snapshot_download(name, revision=revision, local_files_only=offline, allow_patterns=_FILES))
    except errors.HFValidationError:
        raise ModelError("there is no such folder, and it is no hub name (owner/model): check the spelling") from None
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
