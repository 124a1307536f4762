/** A site file with one of everything there is, in its full form. */
export const FULL_SITE_TEXT = `version: 1
accounts:
  - name: Harbour Parking
    contact_email: desk@harbour.example
    remote_control: true
    public_key_requests: false
    users:
      - {email: ines@harbour.example, password: "seven gulls at noon", name: Ines, role: Super Admin, email_confirmed: true, lots: [North]}
      - {email: toma@harbour.example, password: "two gulls at dusk", name: Toma, role: Attendant, lots: [North]}
    api_tokens:
      - {name: reports, token: "reports-token-0123456789-abcdefghij"}
    tariffs:
      - name: Day and night
        currency: EUR
        vat: "21"
        free_minutes: 15
        price: 2.20
        step_minutes: 30
        daily_max: 24.00
        windows:
          - {days: [6, 7, 6], start: "00:00", end: "00:00", price: 1.10, step_minutes: 60}
          - {start: "20:00", end: "06:30", price: 0.50}
    lots:
      - name: North
        address: Mole 4
        timezone: Europe/Zagreb
        offline_exit: deny
        autonomy_days: 40
        latitude: 43.51
        longitude: 16.44
        gateways:
          - {uuid: 6f0b8a10-9a51-4d11-8a44-1c2d3e4f5a6b, name: Mole Pi, claim_code: "MOLE-FOUR-0001"}
        zones:
          - name: Deck
            description: under the crane
            spot_count: 12
            occupancy_max_hours: 48
            tariffs: [Day and night]
            products:
              - {device_id: b4c138000001, name: Barrier, type: barrier, power_type: mains, autoclose_time: 8, is_autoclose: 1, bound_licenses: [ST111AA]}
              - {device_id: b4c138000002, name: Chain, type: chain, master_key: "${'5d'.repeat(32)}"}
            lpr_cameras:
              - device_id: deck-in
                name: Deck camera
                driver: hikvision
                address: http://127.0.0.1:9101
                username: viewer
                password: camera phrase
                push_key: deck-push-key
                timezone: Europe/Zagreb
                lpr_position: in
                plate_side: front
                debounce_time: 20
                direction_source: position
                product: b4c138000001
                gateway: Mole Pi
            terminals:
              - {device_id: pay-1, name: Pay station, mac: "02:00:00:00:00:0A", public_key: "${'A'.repeat(43)}", type: pof, is_master: true}
              - {device_id: col-1, name: Entry column, type: entry}
    members:
      - {name: Lucija, email: lucija@example.com, license_plate: ST-200-BB, valid_from: 2026-01-01T00:00:00Z, groups: [Crew]}
    groups:
      - {name: Crew, description: people of the mole, zones: [Deck], tariffs: []}
    license_plate_alerts:
      - name: Wanted
        plates: [ST0-LEN1, ZG900XX]
        zone: Deck
        min_minutes_between_emails: 20
        receivers: [{name: Desk, receiver_email: Desk@harbour.example}, {name: Night, receiver_email: night@harbour.example}]
    key_logs:
      - {name: Plumber, product: b4c138000001, receiver_identifier: ST 55-ABC, receiver_identifier_type: license_plate, start_time: 2026-01-01T00:00:00Z, end_time: 2027-01-01T00:00:00+01:00}
      - {name: Guest, product: b4c138000002, receiver_identifier: Guest@example.com, receiver_identifier_type: email}
      - {name: Porter, product: b4c138000002, receiver_identifier: "+385 21 555123", receiver_identifier_type: phone, end_time: 2025-01-01T00:00:00Z, start_time: 2024-01-01T00:00:00Z}
    rgb_displays:
      - name: Mole sign
        zone: Deck
        driver: modbus
        address: modbus://192.168.1.60:5000/1
        stale_text: "--"
        rules:
          - {name: full, operator: gte, occupied_value: 12, display_text: FULL, order: 5}
          - {name: some, operator: between, occupied_value: 0, occupied_value_to: 11, display_text: "{free} FREE", start_time: 2026-01-01T00:00:00Z, end_time: 2026-06-01T00:00:00Z}
    weblinks:
      - {name: Courier, product: b4c138000001, operations: [open, stay_open], start_time: 2026-01-01T00:00:00Z, end_time: 2026-12-31T23:00:00Z}
      - {name: Neighbour, product: b4c138000002}
`;
