"""`askance serve`: start the service."""

import gc
from pathlib import Path
from typing import Annotated

from askance.cli.options import flag, option
from askance.cli.targets import require_extra

EXAMPLE = "Example:   askance serve --task spam.toml   or, to try it,   askance serve --demo"
NETWORK, SECURITY, PROVIDER = "Network", "Security", "Sign-in with an identity provider (OpenID Connect)"

Store = Annotated[str, option("A SQLite file, or postgresql://USER@HOST/DATABASE.", "URL", None, "--store")]
TaskFiles = Annotated[
    list[Path] | None,
    option("A TOML file of a task to create, if it does not exist yet. Can be repeated.", "TOML", None, "--task"),
]
Demo = Annotated[
    bool,
    flag("--demo", "Run a demo with a simulated stream and labeller, in a temporary store."),
]
Host = Annotated[
    str, option("The address to listen on. The default is reachable from this machine only.", "ADDRESS", NETWORK)
]
Port = Annotated[int, option("The port; 0 chooses a free one.", "PORT", NETWORK, min=0, max=65_535)]
AllowedHost = Annotated[
    list[str] | None,
    option(
        "A name to accept in Host headers, in addition to localhost, 127.0.0.1 and ::1. Without one, any is "
        "accepted unless the service listens on a loopback address. Can be repeated.",
        "NAME",
        NETWORK,
    ),
]
Proxy = Annotated[
    list[str] | None,
    option(
        "The address or network of a reverse proxy. X-Forwarded headers of others are ignored. Can be repeated.",
        "ADDRESS",
        NETWORK,
    ),
]
PathPrefix = Annotated[
    str, option("The path under which a proxy serves the service, such as /askance.", "PATH", NETWORK)
]
Open = Annotated[
    bool,
    flag("--open", "Do not ask for tokens. Allowed on loopback addresses only.", SECURITY),
]
NewLink = Annotated[
    bool,
    flag("--new-admin-link", "Print a new link that creates an admin token.", SECURITY),
]
MaxBody = Annotated[float, option("The largest request, in MB.", "MB", SECURITY, "--max-body", min=0.001)]
MaxUpload = Annotated[
    float,
    option("The largest file that is uploaded in the browser, in MB.", "MB", SECURITY, "--max-upload", min=0.001),
]
MaxRate = Annotated[float, option("Requests per second and token.", "N", SECURITY, "--max-rate", min=0.1)]
MaxConnections = Annotated[int, option("Open connections.", "N", SECURITY, "--max-connections", min=1)]
MaxPerAddress = Annotated[
    int,
    option("Open connections per address, except those of a --proxy.", "N", SECURITY, "--max-per-address", min=1),
]
PrivateWebhooks = Annotated[
    bool,
    flag(
        "--private-webhooks",
        "Let webhooks go to this machine and its network, not only to the internet.",
        SECURITY,
    ),
]
OidcIssuer = Annotated[
    str | None, option("Let people sign in with this provider.", "URL", PROVIDER, envvar="ASKANCE_OIDC_ISSUER")
]
OidcClientId = Annotated[
    str | None, option("What the provider calls this service.", "ID", PROVIDER, envvar="ASKANCE_OIDC_CLIENT_ID")
]
OidcSecretFile = Annotated[
    Path | None,
    option("A file with the client's secret. Default: the variable ASKANCE_OIDC_SECRET.", "FILE", PROVIDER),
]
OidcClaim = Annotated[
    str, option("The claim whose values give rights.", "CLAIM", PROVIDER, envvar="ASKANCE_OIDC_CLAIM")
]
OidcRole = Annotated[
    list[str] | None,
    option(
        "A role for people whose claim has this VALUE, in all tasks or in one. Can be repeated.",
        "VALUE=ROLE[:TASK]",
        PROVIDER,
        envvar="ASKANCE_OIDC_ROLE",
    ),
]
OidcDefaultRole = Annotated[
    str | None,
    option(
        "The role of people without such a value.",
        "ROLE",
        PROVIDER,
        envvar="ASKANCE_OIDC_DEFAULT_ROLE",
        show_default="none: they are refused",
    ),
]
OidcNameClaim = Annotated[
    str | None,
    option(
        "The claim with the name of a person.",
        "CLAIM",
        PROVIDER,
        envvar="ASKANCE_OIDC_NAME_CLAIM",
        show_default="preferred_username, email, name or sub",
    ),
]
LogLevel = Annotated[
    str,
    option(
        "The log level: debug, info, warning or error. From info on, each request has a line.",
        "LEVEL",
        None,
        "--log",
    ),
]


def serve(
    store: Store = "askance.db",
    task: TaskFiles = None,
    demo: Demo = False,
    host: Host = "127.0.0.1",
    port: Port = 8383,
    allowed_host: AllowedHost = None,
    proxy: Proxy = None,
    path_prefix: PathPrefix = "",
    open_to_all: Open = False,
    new_admin_link: NewLink = False,
    max_body: MaxBody = 8.0,
    max_upload: MaxUpload = 200.0,
    max_rate: MaxRate = 2000.0,
    max_connections: MaxConnections = 1000,
    max_per_address: MaxPerAddress = 256,
    oidc_issuer: OidcIssuer = None,
    oidc_client_id: OidcClientId = None,
    oidc_secret_file: OidcSecretFile = None,
    oidc_claim: OidcClaim = "groups",
    oidc_role: OidcRole = None,
    oidc_default_role: OidcDefaultRole = None,
    oidc_name_claim: OidcNameClaim = None,
    private_webhooks: PrivateWebhooks = False,
    log: LogLevel = "warning",
) -> None:
    """Start the service: it predicts items, asks for labels, and learns from every answer.

    Everything that it acknowledges is on disk. Ctrl-C completes the current
    requests and stops.
    """
    require_extra("msgspec", "starlette", "uvicorn", "prometheus_client", "httpx")
    if oidc_issuer is not None:
        require_extra("joserfc")
    gc.disable()  # a start makes no garbage, and looking for it takes a tenth of the time
    try:
        from askance.cli.commands.serve.work import ServeRequest, client_secret, run
        from askance.service.auth.oidc_settings import oidc_settings

        run(
            ServeRequest(
                store=store,
                tasks=task or [],
                demo=demo,
                host=host,
                port=port,
                hosts=allowed_host or [],
                proxies=proxy or [],
                path_prefix=path_prefix.rstrip("/"),
                open_to_all=open_to_all,
                new_admin_link=new_admin_link,
                body_bytes=int(max_body * 1e6),
                upload_bytes=int(max_upload * 1e6),
                requests_per_second=max_rate,
                connections=max_connections,
                connections_per_address=max_per_address,
                private_webhooks=private_webhooks,
                log=log,
                oidc=oidc_settings(
                    oidc_issuer,
                    oidc_client_id,
                    client_secret(oidc_secret_file),
                    claim=oidc_claim,
                    roles=oidc_role or (),
                    default_role=oidc_default_role,
                    name_claim=oidc_name_claim,
                ),
            )
        )
    finally:
        gc.enable()
