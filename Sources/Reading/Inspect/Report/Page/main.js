// Puts the page together.

capture.load();
critical.load();
state.span = state.wholeSpan;

const toolbar = new Toolbar();
const table = new ExchangeTable(byId('table'));
new CriticalStrip(byId('critical-path'));
const details = new Details(byId('details'), byId('splitter'));
new Overview(byId('overview'));
new Summary(byId('summary'));
new Tooltip(byId('tooltip'), table);
const search = new Search(byId('search'));

makeHelp();
followKeys(table, details);
followPrinting();
followAddress();
readAddress();
feed.begin(table, details);
table.place.focus({ preventScroll: true });
