// Plots of a page: plotly.js with lines, bars and pies only, a quarter of the whole, which takes a second less to start.
export { default } from "plotly.js-basic-dist-min";
