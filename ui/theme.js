// Before the first paint, so that nothing flashes.
(() => {
  let wanted = "system";
  try {
    wanted = localStorage.getItem("theme") ?? "system";
  } catch {
    // Storage may be forbidden; the system's theme is a good guess then.
  }
  const light = matchMedia("(prefers-color-scheme: light)").matches;
  const theme = wanted === "light" || wanted === "dark" ? wanted : light ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
})();
