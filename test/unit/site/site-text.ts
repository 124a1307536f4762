/** A small site file that is right, and ways to spoil it. */
export const SITE_TEXT = `version: 1
accounts:
  - name: Harbour Parking
    users:
      - {email: owner@harbour.example, password: "long pass phrase", name: Olga}
      - email: guard@harbour.example
        name: Gus
        role: Attendant
        lots: [North]
    api_tokens:
      - {name: integration, token: demo-integration-token-0123456789abcdef}
    tariffs:
      - name: Public
        currency: EUR
        price: 1.50
        daily_max: 12
    lots:
      - name: North
        timezone: Europe/Zagreb
        latitude: 43.5
        gateways:
          - uuid: 0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01
            name: Entrance Pi
            claim_code: HARBOUR-NORTH-0001
        zones:
          - name: Level 0
            spot_count: 40
            tariffs: [Public]
            products:
              - device_id: a4c138000001
                name: Entry barrier
                type: barrier
                is_autoclose: true
                autoclose_time: 10
                master_key: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
                bound_licenses: [ZG777BB, "ZG 888-CC"]
              - {device_id: a4c138000002, name: Exit gate, type: gate}
            lpr_cameras:
              - device_id: cam-in-1
                name: Entry camera
                driver: hikvision
                address: http://127.0.0.1:9001
                password: camera secret
                push_key: camera-push-key
                lpr_position: in
                product: a4c138000001
                gateway: Entrance Pi
    members:
      - {name: Mia, email: mia@example.com, license_plate: ZG1234AB, groups: [Residents]}
    groups:
      - {name: Residents, zones: [Level 0], tariffs: [Public]}
`;

/** The text with `before` replaced once; a text that is not there is a mistake of the test. */
export function edit(text: string, before: string, after: string): string {
  if (!text.includes(before)) throw new Error(`There is no ${before} in the site file of the test`);
  return text.replace(before, () => after);
}

/** The line, from 1, on which the text first stands. */
export function lineOf(text: string, part: string): number {
  return text.slice(0, text.indexOf(part)).split('\n').length;
}
