/**
 * Shows the look that a person chose before the first paint: the page asks for this small script before anything else, and waits for it. It
 * is a file of its own because the policy allows nothing inline, and the others run after the page was painted. `browser.ts` keeps the choice.
 */
try {
  const theme: unknown = JSON.parse(localStorage.getItem('parking.theme') ?? '""');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage there is no choice.
}
