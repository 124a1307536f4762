/** The names of both programs' settings: programs that are started in the same directory may share one `.env`. */

export const CLOUD_SETTING_NAMES = [
  'HOST',
  'PORT',
  'BASE_URL',
  'DATA_DIR',
  'DATABASE_URL',
  'MQTT_URL',
  'MQTT_KIND',
  'MQTT_CA',
  'MQTT_HOST',
  'MQTT_PORT',
  'MQTT_PUBLIC_URL',
  'TLS_CERT',
  'TLS_KEY',
  'MQTT_TLS_CERT',
  'MQTT_TLS_KEY',
  'LOG_LEVEL',
  'EVENT_RETENTION_HOURS',
  'RATE_REQUESTS_PER_MIN',
  'RATE_LOGIN_FAILURES_PER_MIN',
  'RATE_PUBLIC_PER_MIN',
  'USER_TOKEN_DAYS',
  'TRUSTED_PROXIES',
  'CORS_ORIGINS',
  'WEBHOOK_ALLOW_PRIVATE',
  'METRICS_PUBLIC',
  'PRODUCT_SEEN_WITHIN_MS',
  'PRODUCT_MIN_RSSI',
  'GATEWAY_WAIT_MS',
  'RATE_COMMANDS_PER_MIN',
  'TERMINAL_WAIT_MS',
  'TOKEN_EXPIRY_CHECK_MS',
  'SERVER_KEY',
] as const;
export type CloudSettingName = (typeof CLOUD_SETTING_NAMES)[number];

export const AGENT_SETTING_NAMES = [
  'AGENT_DATA_DIR',
  'AGENT_HTTP_HOST',
  'AGENT_HTTP_PORT',
  'CLOUD_URL',
  'CLAIM_CODE',
  'REPORT_INTERVAL_MS',
  'BLE_HCI',
  'LOG_LEVEL',
] as const;
export type AgentSettingName = (typeof AGENT_SETTING_NAMES)[number];
