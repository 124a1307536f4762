/** Bodies of requests that say more than the least that is accepted, by the operation's name. */
export const BODY_EXAMPLES: Readonly<Record<string, unknown>> = {
  createLot: { name: 'Harbour', timezone: 'Europe/Zagreb' },
  createZone: { name: 'Ground floor', lot_id: 2, spot_count: 120, tariff_ids: [11] },
  createTariff: { name: 'Day', currency: 'EUR', price: 1.5, step_minutes: 30, free_minutes: 15, daily_max: 20 },
  createMember: { name: 'Ana Horvat', license_plate: 'ZG1234AB', group_ids: [6] },
  createGroup: { name: 'Staff', zone_ids: [7] },
  createWebhook: { url: 'https://receiver.example/parking', events: ['session_create', 'session_update'] },
  createWeblink: {
    product_id: 17,
    name: 'Delivery',
    operations: ['open'],
    start_time: '2026-03-02T08:00:00.000Z',
    end_time: '2026-03-02T18:00:00.000Z',
  },
  createOperationKeys: {
    start_time: '2026-03-02T08:00:00.000Z',
    end_time: '2026-03-02T18:00:00.000Z',
    products: ['a4c138f00417'],
    receiver_emails: ['ana@parking.example'],
  },
  operateProduct: { operation: 'open', reason: 'Delivery for shop 4' },
  changeProductSettings: { is_autoclose: 1, autoclose_time: 10 },
  createSessionPayment: { amount: 4.5, reference: 'POS-2026-000417' },
};
