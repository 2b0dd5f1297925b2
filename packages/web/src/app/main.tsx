// The page starts here.
import "uplot/dist/uPlot.min.css";
import "./styles.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { applyTheme, savedTheme } from "./theme.ts";

applyTheme(savedTheme());
const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App />);
