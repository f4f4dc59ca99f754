/** Elements from names, properties and children. Text becomes text nodes and never markup. */
export function el(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** The element with this id, with new content if some is given. */
export function at(id, ...children) {
  const element = document.getElementById(id);
  if (children.length) element.replaceChildren(...children.flat());
  return element;
}
