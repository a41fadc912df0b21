/** A tool spec whose author wrote defaults: those are sent. */
export const AUTHORED = `domain: authored
base_url: \${ORCHARD_BASE_URL}
tools:
  - name: plant
    description: Plants.
    method: POST
    path: /plant
    params:
      - { name: limit, type: integer, default: 20, description: How many. }
      - { name: mode, type: string, const: fast, description: The mode. }
    body:
      - { name: kind, type: string, default: oak, description: Its kind. }
      - name: site
        type: object
        description: Where.
        properties:
          - { name: row, type: integer, default: 1, description: Row. }
          - { name: seat, type: integer, description: Seat. }
`
