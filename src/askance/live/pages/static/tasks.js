import { get } from "./api.js";
import { at, el } from "./dom.js";

const { tasks } = await get("/api/tasks");
at("tasks", tasks.map((task) => el("p", {}, task.name)));
