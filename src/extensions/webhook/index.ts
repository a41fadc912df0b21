export { refusedOption, toEndContent, type WebhookEvent } from './event.ts'
export { emitWebhookEvent, type WebhookExtension, webhookExtension } from './webhook.ts'
