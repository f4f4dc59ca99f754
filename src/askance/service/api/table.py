"""The route table: paths, handlers, roles and messages."""

from askance.service import messages as m
from askance.service.api import audit, health, people, tasks
from askance.service.api.route import ADMIN, EVERYBODY, JSON, LINES, Route
from askance.service.api.task_table import OF_A_TASK
from askance.service.settings import TaskSettings

READ = ("read",)
TEXT = "text/plain"

ROUTES = (
    Route("GET", "/health", health.health, None, "Check that it is alive", answer=m.Health),
    Route("GET", "/ready", health.ready, None, "Check that it can serve", answer=m.Health, errors=(503,)),
    Route("GET", "/metrics", health.metrics, READ, "Metrics for Prometheus", media=TEXT),
    Route("GET", "/api/openapi.json", health.schema, None, "OpenAPI schema", media=JSON),
    Route(
        "POST",
        "/api/first",
        people.make_first_token,
        None,
        "Create the first admin token",
        m.FirstTokenRequest,
        m.NewToken,
        errors=(403,),
    ),
    Route("GET", "/api/me", people.show_me, EVERYBODY, "Get the caller", answer=m.Me),
    Route("GET", "/api/tokens", people.list_tokens, ADMIN, "List tokens", answer=m.Tokens),
    Route(
        "POST",
        "/api/tokens",
        people.create_token,
        ADMIN,
        "Create a token",
        m.TokenRequest,
        m.NewToken,
        errors=(409,),
        audited=True,
    ),
    Route(
        "DELETE",
        "/api/tokens/{name}",
        people.revoke_token,
        ADMIN,
        "Revoke a token",
        answer=m.KnownToken,
        errors=(404, 409),
        audited=True,
    ),
    Route("GET", "/api/sessions", people.list_sessions, EVERYBODY, "List sessions", answer=m.OpenSessions),
    Route(
        "DELETE",
        "/api/sessions/{number}",
        people.end_session,
        EVERYBODY,
        "End a session",
        answer=m.OpenSession,
        errors=(404,),
        audited=True,
    ),
    Route(
        "GET",
        "/api/audit",
        audit.list_audit,
        ADMIN,
        "List the audit log",
        answer=m.AuditPage,
        query=m.AuditRequest,
    ),
    Route(
        "GET",
        "/api/audit/export",
        audit.export_audit,
        ADMIN,
        "Export the audit log",
        media=LINES,
        query=m.AuditRequest,
        audited=True,
    ),
    Route("GET", "/api/tasks", tasks.list_tasks, EVERYBODY, "List tasks", answer=m.Tasks),
    Route(
        "POST",
        "/api/tasks",
        tasks.create_task,
        ADMIN,
        "Create a task",
        TaskSettings,
        m.TaskDetail,
        errors=(409,),
        audited=True,
    ),
    *OF_A_TASK,
)
