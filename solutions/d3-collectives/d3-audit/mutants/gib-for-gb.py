"""Takes GB for 2**30 bytes."""


def audit(
    nbytes,
    limit_us,
    servers,
    devices,
    inside_us,
    inside_gb_s,
    between_us,
    between_gb_s,
    peak_gb_s,
):
    inner = 2 if devices > 1 else 0
    outer = 2 * (servers - 1)
    latency_us = inner * inside_us + outer * between_us
    sent = outer / (servers * devices)
    us_a_byte = inner / devices / (inside_gb_s * 1073.741824) + sent / (between_gb_s * 1e3)
    time_us = latency_us + nbytes * us_a_byte
    largest = max(0, int((limit_us - latency_us) / us_a_byte))
    port_share = sent * nbytes / (peak_gb_s * 1e3 * time_us)
    return {
        "time_us": time_us,
        "largest_nbytes": largest,
        "port_share": port_share,
    }
