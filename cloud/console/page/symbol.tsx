/** The symbol of the service. */
export function Symbol() {
  return (
    <svg class="symbol" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M7 25v-8m0 0 18-6" />
      <circle cx="7" cy="17" r="3.5" />
    </svg>
  );
}
