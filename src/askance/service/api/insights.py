"""Routes of figures to act on: what is confused, what more labels would bring, and how labellers agree."""

from askance.service import messages
from askance.service.api.route import Call
from askance.service.views import confusion, forecast, guessers, labellers, predictions


async def show_confusion(call: Call) -> messages.Confusion:
    """Get the confusion matrix of the current model, and precision and recall of each class."""
    sample = await call.look(confusion.sample)
    return await call.read(confusion.confusion, call.service.store, call.writer.task, sample)


async def show_forecast(call: Call) -> messages.Forecast:
    """Get the accuracy that more labels would bring, with intervals, and advice whether to go on."""
    evidence = await call.look(forecast.evidence)
    return await call.read(forecast.forecast, evidence)


async def show_labellers(call: Call) -> messages.Labellers:
    """Get the speed of labellers, how they agree, and how often programs guess right."""
    sample = await call.look(guessers.sample)
    return await call.read(labellers.labellers, call.service.store, call.writer.task, sample)


async def show_predicted(call: Call) -> messages.PredictedClasses:
    """Get the classes that were predicted for the newest items, and for those before them."""
    return await call.read(predictions.over_time, call.service.store, call.writer.task)
