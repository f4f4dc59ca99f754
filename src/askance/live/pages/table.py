"""The table of pages: which there are, and who may open them."""

from askance.live import messages as m
from askance.live.api.route import ADMIN, EVERYBODY, PAGE, Route
from askance.live.pages import assets, door, views

LABELLER = ("labeller",)

PAGES = (
    Route("GET", "/assets/{digest}/{name}", assets.asset, None, "Styles and modules", media=PAGE, errors=(404,)),
    Route("GET", "/", door.home, None, "The first page", media=PAGE),
    Route("GET", "/first", door.first_page, None, "The page of the first visit", media=PAGE),
    Route("POST", "/first", door.first_visit, None, "Its button", m.FirstForm, media=PAGE, takes_form=True),
    Route("GET", "/sign-in", door.sign_in_page, None, "The page to sign in", media=PAGE),
    Route("POST", "/sign-in", door.sign_in, None, "Its button", m.SignIn, media=PAGE, takes_form=True),
    Route("POST", "/sign-out", door.sign_out, EVERYBODY, "Sign out", m.Form, media=PAGE, takes_form=True),
    Route("GET", "/tasks", views.tasks_page, EVERYBODY, "Tasks", media=PAGE),
    Route("GET", "/people", views.people_page, ADMIN, "People", media=PAGE),
    Route("GET", "/audit", views.audit_page, ADMIN, "Who did what", media=PAGE),
    Route("GET", "/new-task", views.new_task_page, ADMIN, "A new task", media=PAGE),
    Route("GET", "/tasks/{task}", views.dashboard_page, EVERYBODY, "Dashboard", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/items", views.items_page, EVERYBODY, "Items", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/items/{item}", views.item_page, EVERYBODY, "Item", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/model", views.model_page, EVERYBODY, "Model", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/settings", views.settings_page, ADMIN, "Settings", media=PAGE, errors=(404,)),
    Route("GET", "/tasks/{task}/label", views.label_page, LABELLER, "Label", media=PAGE, errors=(404,)),
)
