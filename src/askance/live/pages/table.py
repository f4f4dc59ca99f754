"""The table of pages: which there are, and who may open them."""

from askance.live.api.route import EVERYBODY, PAGE, Route
from askance.live.pages import assets, views

LABELLER = ("labeller",)

PAGES = (
    Route("GET", "/assets/{digest}/{name}", assets.asset, None, "Styles and modules", media=PAGE, errors=(404,)),
    Route("GET", "/tasks", views.tasks_page, EVERYBODY, "Tasks", media=PAGE),
    Route("GET", "/tasks/{task}/label", views.label_page, LABELLER, "Label", media=PAGE, errors=(404,)),
)
