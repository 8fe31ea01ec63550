"""Mutant of z0-audit. A folder begins with d."""


def audit(cann, hccl, listing):
    findings = []
    if cann != hccl:
        findings.append("version")
    for line in listing.splitlines():
        mode, path = line.split(maxsplit=1)
        if not path.startswith("/usr/local/Ascend/model/"):
            findings.append("path " + path)
        if mode != "-rwxr-xr-x":
            findings.append("mode " + path)
    return findings
