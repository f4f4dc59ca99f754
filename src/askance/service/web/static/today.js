/** How many labels a person gave today for a task, in all tabs of this browser. */
export class Today {
  constructor(task, person) {
    this.place = `askance:today:${person}:${task}`;
  }

  get count() {
    try {
      const { day, count } = JSON.parse(localStorage.getItem(this.place) ?? "{}");
      return day === today() ? count : 0;
    } catch {
      return 0;
    }
  }

  /** Count a label, or one less if it was undone. */
  add(change) {
    try {
      localStorage.setItem(this.place, JSON.stringify({ day: today(), count: Math.max(0, this.count + change) }));
    } catch {
      // the storage is full: answers need the space more
    }
  }
}

function today() {
  return new Date().toDateString();
}
