"""The table of pages: which there are, and who may open them."""

from askance.service import messages as m
from askance.service.api.route import ADMIN, EVERYBODY, PAGE, Route
from askance.service.web import assets, oidc, sign_in, views

LABELLER, INGEST = ("labeller",), ("ingest",)

PAGES = (
    Route("GET", "/assets/{digest}/{name}", assets.asset, None, "Styles and modules", media=PAGE, errors=(404,)),
    Route("GET", "/", sign_in.home, None, "The first page", media=PAGE),
    Route("GET", "/first", sign_in.first_page, None, "Page of the first visit", media=PAGE),
    Route(
        "POST",
        "/first",
        sign_in.first_visit,
        None,
        "Submit its form",
        m.CodeForm,
        media=PAGE,
        takes_form=True,
    ),
    Route("GET", "/enter", sign_in.link_page, None, "Page of a sign-in link", media=PAGE),
    Route("POST", "/enter", sign_in.enter, None, "Submit its form", m.CodeForm, media=PAGE, takes_form=True),
    Route("GET", "/sign-in", sign_in.sign_in_page, None, "Page to sign in", media=PAGE),
    Route("POST", "/sign-in", sign_in.sign_in, None, "Submit its form", m.SignIn, media=PAGE, takes_form=True),
    Route("GET", "/sign-in/oidc", oidc.leave, None, "Go to the identity provider", media=PAGE, errors=(404,)),
    Route("GET", oidc.BACK, oidc.come_back, None, "Come back from there", media=PAGE, errors=(404,)),
    Route("POST", "/sign-out", sign_in.sign_out, EVERYBODY, "Sign out", m.Form, media=PAGE, takes_form=True),
    Route("GET", "/tasks", views.tasks_page, EVERYBODY, "Tasks", media=PAGE),
    Route("GET", "/people", views.people_page, ADMIN, "People", media=PAGE),
    Route("GET", "/audit", views.audit_page, ADMIN, "Audit log", media=PAGE),
    Route("GET", "/new-task", views.new_task_page, ADMIN, "Page to create a task", media=PAGE),
    Route("GET", "/tasks/{task}", views.dashboard_page, EVERYBODY, "Dashboard", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/items", views.items_page, EVERYBODY, "Items", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/items/{item}", views.item_page, EVERYBODY, "Item", media=PAGE, errors=(404,)),
    Route(
        "GET",
        "/tasks/{task}/items/{item}/similar",
        views.similar_page,
        LABELLER,
        "Label similar items",
        media=PAGE,
        errors=(404,),
    ),
    Route("GET", "/tasks/{task}/upload", views.upload_page, INGEST, "Add items", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/model", views.model_page, EVERYBODY, "Model", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/review", views.review_page, ADMIN, "Review", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/settings", views.settings_page, ADMIN, "Settings", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/label", views.label_page, LABELLER, "Label", media=PAGE, errors=(404,)),
)
