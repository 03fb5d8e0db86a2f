"""Fetch the real census file of UCI: checked, and never half a file."""

import hashlib
import http.client
import os
import shutil
import urllib.error
import urllib.request
from pathlib import Path

ADULT_URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data"
ADULT_SHA256 = "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"

_NETWORK_ERRORS = (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError)


def download_uci_adult(path: str | os.PathLike) -> Path:
    """Fetch ``adult.data``, 32,561 records of the 1994 census (4 MB, CC BY 4.0), from the UCI archive.

    The file arrives beside ``path``, under a name that ends in ``.part``, and takes the place of ``path`` in one step
    once its SHA-256 is that of the archive's file.  Otherwise nothing of it is kept.

    Parameters
    ----------
    path : str or path
        Where the file shall be; a file that is there is replaced.  Its folder must exist.

    Returns
    -------
    Path
        ``path``, to be given to `load_census`.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If the folder of ``path`` does not exist, or ``path`` is itself a folder.
    ConnectionError
        If the archive does not answer or does not have the file.
    ValueError
        If what arrived is not the whole file (wrong checksum).

    References
    ----------
    B. Becker and R. Kohavi (1996). Adult. UCI Machine Learning Repository, https://doi.org/10.24432/C5XW20.

    Examples
    --------
    >>> import dp_helpers as dp
    >>> census = dp.load_census(dp.download_uci_adult("adult.data"))  # doctest: +SKIP
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"path must name a file, {path} is a folder")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"path must be in a folder that exists, {path.parent} does not")
    part = path.with_name(path.name + ".part")
    try:
        with urllib.request.urlopen(ADULT_URL, timeout=30) as response, part.open("wb") as file:
            shutil.copyfileobj(response, file)
        found = hashlib.sha256(part.read_bytes()).hexdigest()
        if found != ADULT_SHA256:
            raise ValueError(f"{ADULT_URL} broke off, or is another file: its SHA-256 is {found}, not {ADULT_SHA256}")
        return part.replace(path)
    except _NETWORK_ERRORS as error:
        raise ConnectionError(f"{ADULT_URL} could not be fetched: {error}") from error
    finally:
        part.unlink(missing_ok=True)
