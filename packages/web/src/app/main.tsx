// The page starts here.
import "uplot/dist/uPlot.min.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/controls.css";
import "./styles/charts.css";
import "./styles/runs.css";
import "./styles/run.css";
import "./styles/rollouts.css";
import "./styles/rollout.css";
import "./styles/scoring.css";
import "./styles/markdown.css";
import "./styles/tokens.css";
import "./styles/evals.css";
import "./styles/record.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { ChartColours } from "./colours.tsx";
import { applyTheme, savedTheme } from "./theme.ts";

applyTheme(savedTheme());
const root = document.getElementById("root");
if (root !== null)
  createRoot(root).render(
    <ChartColours>
      <App />
    </ChartColours>,
  );
