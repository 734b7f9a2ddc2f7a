// Puts the page together.

capture.load();
state.span = state.wholeSpan;

const toolbar = new Toolbar();
const overview = new Overview(byId('overview'));
const table = new ExchangeTable(byId('table'));
const details = new Details(byId('details'), byId('splitter'));
const summary = new Summary(byId('summary'));
const tooltip = new Tooltip(byId('tooltip'), table);

makeHelp();
followKeys(table, details);
followPrinting();
followAddress();
readAddress();
table.place.focus({ preventScroll: true });
