/** Port: sends one POST to a webhook's receiver. Driver: `http-webhook-sender.ts`. */
export interface WebhookSender {
  /** Never throws: every problem is a failed delivery. It ends within bounded time. */
  post(request: WebhookRequest): Promise<WebhookAnswer>;
}

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  /** JSON text. */
  body: string;
  signal: AbortSignal;
}

/**
 * The receiver's HTTP status, and for how long the receiver asks not to be called; or, when there was no answer, the reason in words for the
 * webhook's owner.
 */
export type WebhookAnswer = { statusCode: number; retryAfterMs?: number } | { statusCode: null; error: string };
