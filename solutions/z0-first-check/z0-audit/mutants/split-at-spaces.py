"""Mutant of z0-audit. A path with a space loses its end."""


def audit(cann, hccl, listing):
    findings = []
    if cann != hccl:
        findings.append("version")
    for line in listing.splitlines():
        mode, path = line.split()[:2]
        if not path.startswith("/usr/local/Ascend/model/"):
            findings.append("path " + path)
        if mode[1:] != "rwxr-xr-x":
            findings.append("mode " + path)
    return findings
