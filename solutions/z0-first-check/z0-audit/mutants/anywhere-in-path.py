"""Mutant of z0-audit. A copy elsewhere contains the path."""


def audit(cann, hccl, listing):
    findings = []
    if cann != hccl:
        findings.append("version")
    for line in listing.splitlines():
        mode, path = line.split(maxsplit=1)
        if "/usr/local/Ascend/model/" not in path:
            findings.append("path " + path)
        if mode[1:] != "rwxr-xr-x":
            findings.append("mode " + path)
    return findings
