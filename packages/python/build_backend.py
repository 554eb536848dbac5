"""Builds the wheel and the sdist with the standard library alone. Identical files produce identical bytes.

`pip` calls it as a build backend (PEP 517), and therefore needs no network. `npm run pack` runs it as a program:
python3 build_backend.py DIRECTORY
"""

import base64
import gzip
import hashlib
import io
import os
import re
import sys
import tarfile
import zipfile

ROOT = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(ROOT, "src", "lockkeeper")
SDIST_FILES = ("LICENSE", "README.md", "build_backend.py", "pyproject.toml")
# The earliest time that a zip file can store.
EPOCH = (1980, 1, 1, 0, 0, 0)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"lockkeeper-{read_version()}-py3-none-any.whl"
    info = f"lockkeeper-{read_version()}.dist-info"
    files = {f"lockkeeper/{each}": read(os.path.join(PACKAGE, each)) for each in list_package()}
    files[f"{info}/LICENSE"] = read_license()
    files[f"{info}/METADATA"] = build_metadata()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: lockkeeper-build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/RECORD"] = build_record(files, f"{info}/RECORD")
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    base = f"lockkeeper-{read_version()}"
    files = {each: read(os.path.join(ROOT, each)) for each in SDIST_FILES if each != "LICENSE"}
    files["LICENSE"] = read_license()
    files["PKG-INFO"] = build_metadata()
    for each in list_package():
        files[f"src/lockkeeper/{each}"] = read(os.path.join(PACKAGE, each))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(files):
            entry = tarfile.TarInfo(f"{base}/{path}")
            entry.size = len(files[path])
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(files[path]))
    name = f"{base}.tar.gz"
    with open(os.path.join(sdist_directory, name), "wb") as file:
        compressed = bytearray(gzip.compress(archive.getvalue(), mtime=0))
        compressed[9] = 255  # The operating system, which versions of Python set differently.
        file.write(compressed)
    return name


def list_package():
    return sorted(each for each in os.listdir(PACKAGE) if each.endswith(".py") or each == "py.typed")


def build_metadata():
    """Returns the metadata from pyproject.toml. Python 3.9 cannot read TOML, so the file has one field per line."""
    project = read(os.path.join(ROOT, "pyproject.toml")).decode().split("[project]\n")[1].split("\n[tool")[0]
    field = lambda name: re.search(rf'^{name} = "(.*)"$', project, re.M).group(1)  # noqa: E731
    words = lambda name: re.findall(r'"(.*?)"', re.search(rf"^{name} = \[(.*?)\]", project, re.M | re.S).group(1))  # noqa: E731
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {field('name')}",
        f"Version: {read_version()}",
        f"Summary: {field('description')}",
        "License: MIT",
        f"Keywords: {','.join(words('keywords'))}",
        *[f"Classifier: {each}" for each in words("classifiers")],
        f"Requires-Python: {field('requires-python')}",
        "Description-Content-Type: text/markdown",
        "License-File: LICENSE",
    ]
    return "\n".join(lines).encode() + b"\n\n" + read(os.path.join(ROOT, "README.md"))


def build_record(files, own_path):
    lines = [f"{path},sha256={hash_content(content)},{len(content)}" for path, content in files.items()]
    return "\n".join([*lines, f"{own_path},,"]).encode() + b"\n"


def hash_content(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def read_version():
    return re.search(r'"(.+)"', read(os.path.join(PACKAGE, "_version.py")).decode()).group(1)


def read_license():
    """Returns the license, which is at the top of the repository, or next to this file in an sdist."""
    own = os.path.join(ROOT, "LICENSE")
    return read(own if os.path.exists(own) else os.path.join(ROOT, "..", "..", "LICENSE"))


def read(path):
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    print(build_wheel(sys.argv[1]))
    print(build_sdist(sys.argv[1]))
