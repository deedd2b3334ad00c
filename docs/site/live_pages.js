// A picture of the gallery becomes its live scene when it is pressed.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-live]");
  if (!button) return;
  const frame = document.createElement("iframe");
  frame.className = "live";
  frame.src = button.dataset.live;
  frame.title = button.getAttribute("aria-label");
  button.replaceWith(frame);
});
