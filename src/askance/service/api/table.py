"""The table of routes: what there is, who may use it, what goes in and what comes out."""

from askance.service import messages as m
from askance.service.api import audit, health, people, tasks
from askance.service.api.route import ADMIN, EVERYBODY, JSON, LINES, Route
from askance.service.api.task_table import OF_A_TASK
from askance.service.settings import TaskSettings

READ = ("read",)
TEXT = "text/plain"

ROUTES = (
    Route("GET", "/health", health.health, None, "Is it alive?", answer=m.Health),
    Route("GET", "/ready", health.ready, None, "Can it serve?", answer=m.Health, errors=(503,)),
    Route("GET", "/metrics", health.metrics, READ, "Figures for Prometheus", media=TEXT),
    Route("GET", "/api/openapi.json", health.schema, None, "This schema", media=JSON),
    Route(
        "POST",
        "/api/first",
        people.make_first_token,
        None,
        "The first admin's token",
        m.FirstTokenRequest,
        m.NewToken,
        errors=(403,),
    ),
    Route("GET", "/api/me", people.show_me, EVERYBODY, "Who am I?", answer=m.Me),
    Route("GET", "/api/tokens", people.list_tokens, ADMIN, "All tokens", answer=m.Tokens),
    Route(
        "POST",
        "/api/tokens",
        people.create_token,
        ADMIN,
        "A new token",
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
    Route("GET", "/api/sessions", people.list_sessions, EVERYBODY, "Who is signed in", answer=m.OpenSessions),
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
    Route("GET", "/api/audit", audit.list_audit, ADMIN, "Who did what", answer=m.AuditPage, query=m.AuditRequest),
    Route(
        "GET",
        "/api/audit/export",
        audit.export_audit,
        ADMIN,
        "All of that",
        media=LINES,
        query=m.AuditRequest,
        audited=True,
    ),
    Route("GET", "/api/tasks", tasks.list_tasks, EVERYBODY, "All tasks", answer=m.Tasks),
    Route(
        "POST",
        "/api/tasks",
        tasks.create_task,
        ADMIN,
        "A new task",
        TaskSettings,
        m.TaskDetail,
        errors=(409,),
        audited=True,
    ),
    *OF_A_TASK,
)
