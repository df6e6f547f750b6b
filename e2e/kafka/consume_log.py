"""Consumes the change log with the client's own event classes, as its users do, and proposes
through the client's own serializer to see that its schema is known.

Usage: consume_log.py BROKER REGISTRY TOPIC COUNT; prints the URNs, one a line.
"""
import sys
import uuid

from confluent_kafka import DeserializingConsumer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.schema_registry import Schema
from confluent_kafka.serialization import StringDeserializer
from datahub.metadata.schema_classes import MetadataChangeLogClass
from datahub.metadata.schemas import getMetadataChangeEventSchema, getMetadataChangeProposalSchema

broker, registry_url, topic, count = *sys.argv[1:4], int(sys.argv[4])
registry = SchemaRegistryClient({"url": registry_url})
prefix = topic.removesuffix("MetadataChangeLog_Versioned_v1")

for name, text in {
    "MetadataChangeProposal_v1": getMetadataChangeProposalSchema(),
    "MetadataChangeEvent_v4": getMetadataChangeEventSchema(),
}.items():
    subject = f"{prefix}{name}-value"
    schema = Schema(text, "AVRO")
    number = registry.register_schema(subject, schema)
    assert registry.lookup_schema(subject, schema).schema_id == number
    assert subject in registry.get_subjects()
    assert registry.get_latest_version(subject).version in registry.get_versions(subject)
try:
    registry.register_schema(f"{prefix}MetadataChangeProposal_v1-value", Schema('{"type":"record","name":"Other","fields":[]}', "AVRO"))
    raise AssertionError("a foreign schema is registered")
except SchemaRegistryError as e:
    assert e.http_status_code == 409, e

consumer = DeserializingConsumer({
    "bootstrap.servers": broker,
    "group.id": str(uuid.uuid4()),
    "auto.offset.reset": "earliest",
    "key.deserializer": StringDeserializer("utf_8"),
    "value.deserializer": AvroDeserializer(schema_registry_client=registry),
})
consumer.subscribe([topic])
values = {}
while len(values) < count:
    message = consumer.poll(60)
    assert message is not None, f"only {len(values)} came: {sorted(values)}"
    event = MetadataChangeLogClass.from_obj(message.value(), True)
    assert message.key() == event.entityUrn
    assert event.created is not None and event.systemMetadata is not None, event
    if event.aspectName == "datasetProperties":
        assert event.changeType == "UPSERT" and event.entityType == "dataset", event
        assert event.aspect.contentType == "application/json"
        values[event.entityUrn] = event.aspect.value.decode()
consumer.close()
for urn in sorted(values):
    print(urn, values[urn])
