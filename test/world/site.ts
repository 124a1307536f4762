/** The car park of the stories: an entry barrier, an exit gate, two cameras, one member. Ports are the world's own. */
export const TEST_SITE = {
  apiToken: 'story-integration-token-0123456789abcdef',
  ownerEmail: 'owner@harbour.example',
  ownerPassword: 'long pass phrase',
  gatewayUuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01',
  claimCode: 'STORY-NORTH-0001',
  secondGatewayUuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02',
  secondClaimCode: 'STORY-NORTH-0002',
  rivalToken: 'rival-integration-token-0123456789abcdef',
  barrier: 'a4c138000001',
  gate: 'a4c138000002',
  entryCamera: 'cam-in-1',
  exitCamera: 'cam-out-1',
  memberPlate: 'ZG1234AB',
  places: ['A1', 'A2', 'A3'],
} as const;

/**
 * The site file as YAML. `ports`: where the simulated cameras and the sensors' gateway listen; `barrierAutocloseS`: null for a
 * barrier that stays open. The file has a rival's account as well.
 */
export function testSiteYaml(
  ports: { entry: number; exit: number; sensors: number },
  options: { secondGateway: boolean; barrierAutocloseS: number | null; isGatePaired: boolean },
): string {
  const { barrierAutocloseS } = options;
  const autoclose =
    barrierAutocloseS === null ? 'is_autoclose: 0' : `is_autoclose: 1, autoclose_time: ${barrierAutocloseS}`;
  const second = `
          - {uuid: ${TEST_SITE.secondGatewayUuid}, name: Exit Pi, claim_code: ${TEST_SITE.secondClaimCode}}`;
  return `version: 1
accounts:
  - name: Harbour Parking
    users:
      - {email: ${TEST_SITE.ownerEmail}, password: "${TEST_SITE.ownerPassword}", name: Olga, role: Super Admin}
    api_tokens:
      - {name: story, token: ${TEST_SITE.apiToken}}
    tariffs:
      - {name: Public, currency: EUR, price: 1.50, step_minutes: 60, free_minutes: 10, daily_max: 12.00}
    lots:
      - name: North
        address: Quay 1
        timezone: Europe/Zagreb
        gateways:
          - {uuid: ${TEST_SITE.gatewayUuid}, name: Entrance Pi, claim_code: ${TEST_SITE.claimCode}}${options.secondGateway ? second : ''}
        zones:
          - name: Level 0
            spot_count: 40
            tariffs: [Public]
            products:
              - {device_id: ${TEST_SITE.barrier}, name: Entry barrier, type: barrier, ${autoclose}, master_key: "${'1a'.repeat(32)}"}
              - {device_id: ${TEST_SITE.gate}, name: Exit gate, type: gate${options.isGatePaired ? `, master_key: "${'2b'.repeat(32)}"` : ''}}
            places:
${TEST_SITE.places.map((name, index) => `              - {name: ${name}, parking_gateway: Guidance, sensor: "${index + 1}"}`).join('\n')}
            lpr_cameras:
              - {device_id: ${TEST_SITE.entryCamera}, name: Entry camera, driver: hikvision, address: "http://127.0.0.1:${ports.entry}", username: admin, password: secret, push_key: entry-push-key, timezone: Europe/Zagreb, lpr_position: in, plate_side: front, product: ${TEST_SITE.barrier}, gateway: Entrance Pi}
              - {device_id: ${TEST_SITE.exitCamera}, name: Exit camera, driver: hikvision, address: "http://127.0.0.1:${ports.exit}", username: admin, password: secret, push_key: exit-push-key, timezone: Europe/Zagreb, lpr_position: out, plate_side: front, product: ${TEST_SITE.gate}, gateway: Entrance Pi}
        parking_gateways:
          - {name: Guidance, driver: modbus-tcp, address: "127.0.0.1:${ports.sensors}", poll_ms: 100, heartbeat_s: 2, gateway: Entrance Pi, register: {function: 3, base: 10, occupied: {mask: 1}}}
    members:
      - {name: Mia, email: mia@example.com, license_plate: ${TEST_SITE.memberPlate}, groups: [Residents]}
    groups:
      - {name: Residents, description: whitelisted, zones: [Level 0]}
  - name: Rival Parking
    users:
      - {email: owner@rival.example, password: "${TEST_SITE.ownerPassword}", name: Rita, role: Super Admin}
    api_tokens:
      - {name: story, token: ${TEST_SITE.rivalToken}}
`;
}
