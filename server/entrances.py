"""Composes the ports of the process: the players' one, with or without TLS, and the operator's.

Owns which settings make which port, and who is let in by each. Opens nothing: lifecycle.py does.
Called by app.py.
"""

import secrets
from dataclasses import dataclass
from functools import partial

from server.access.addresses import client_address
from server.access.limits import HandshakeLimit
from server.admin_port import AdminPort
from server.clock import Clock
from server.commands.all import COMMANDS
from server.commands.dispatch import Dispatcher
from server.config import Settings
from server.config.certificate import KeptCertificate
from server.http import admin
from server.http.app import HttpSide, application
from server.session.services import Services
from server.session.session import Session
from server.telemetry.metrics import Metrics
from server.telemetry.readings import Readings
from server.transport.door import Upgrades
from server.transport.handshake import Gate
from server.transport.listener import Listener
from server.transport.settings import TransportSettings

DOING = "serving a connection"


@dataclass(frozen=True, slots=True)
class Entrances:
    """The ports of one process."""

    http: HttpSide
    listener: Listener
    """The port for everybody: pages, API and WebSockets."""
    certificate: KeptCertificate | None
    """Of that port, where it speaks TLS."""
    admin: AdminPort | None


def entrances(settings: Settings, transport: TransportSettings, services: Services) -> Entrances:
    """Make the ports that the settings name. Raises Unfit."""
    http = HttpSide(application(services, settings))
    certificate = _certificate(settings, services.metrics)
    listener = Listener(
        make_http=http.make_protocol,
        upgrades=_upgrades(settings, services),
        clock=services.clock,
        on_fault=partial(services.on_fault, DOING),
        settings=transport,
        tls=None if certificate is None else lambda: certificate.context,
    )
    _show(listener, services.metrics.readings)
    return Entrances(http, listener, certificate, _admin_port(settings, services))


def _show(listener: Listener, readings: Readings) -> None:
    """Show what comes in by a port, in the metrics."""
    counts, live = listener.counts, listener.live
    readings.count(
        "received_bytes", "Bytes that came over WebSockets.", lambda: counts.received_bytes
    )
    readings.count_each(
        "messages",
        "Messages that came over WebSockets: commands, and frames of placements.",
        "kind",
        lambda: {"command": counts.texts, "placements": counts.binaries},
    )
    readings.count_each(
        "closed",
        "Ends of WebSockets, by our close code or by what else ended them.",
        "code",
        lambda: counts.closed,
    )
    readings.count_each(
        "door_refused",
        "Connections that came no further than the door.",
        "reason",
        lambda: counts.turned,
    )
    readings.watch(
        "unsent_bytes",
        "Bytes that wait in this process for the kernel to take.",
        lambda: sum(connection.buffered_bytes() for connection in live),
    )


def _admin_port(settings: Settings, services: Services) -> AdminPort | None:
    if settings.admin_listen is None:
        return None
    http = HttpSide(admin.application(services, settings))
    on_fault = partial(services.on_fault, DOING)
    return AdminPort(settings.admin_listen, http, services.clock, on_fault)


def _certificate(settings: Settings, metrics: Metrics) -> KeptCertificate | None:
    """Read the certificate, and show its end in the metrics."""
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    certificate = KeptCertificate(settings.tls_cert, settings.tls_key)
    metrics.readings.watch(
        "certificate_expires_seconds",
        "Unix time at which the certificate of the public port expires.",
        lambda: certificate.expires_s,
    )
    return certificate


def _upgrades(settings: Settings, services: Services) -> Upgrades:
    dispatcher = Dispatcher(COMMANDS)
    return Upgrades(
        _gate(settings, services.clock),
        partial(secrets.token_hex, 8),
        lambda: Session(services, dispatcher),
    )


def _gate(settings: Settings, clock: Clock) -> Gate:
    handshakes = HandshakeLimit(settings.handshakes_per_second, clock.monotonic_ms)
    return Gate(
        admit=handshakes.admit,
        address_of=partial(client_address, trusted=settings.trusted_proxies),
        origins=frozenset(settings.origins),
        origin_required=settings.origin_required,
    )
