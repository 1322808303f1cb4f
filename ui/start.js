// Loads the dashboard; says so if the browser cannot.

try {
  const { default: start } = await import("/schemascope.js");
  await start({ module_or_path: "/schemascope.wasm" });
} catch (error) {
  const place = document.getElementById("starting");
  if (place) {
    place.querySelector("p").textContent =
      `The dashboard could not start: ${error}. It needs a current browser with WebAssembly.`;
  } else {
    throw error;
  }
}
