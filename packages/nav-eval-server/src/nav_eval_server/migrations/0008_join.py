from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competition", "0007_slots")]

    operations = [
        migrations.AlterField(
            model_name="endpoint",
            name="protocol",
            field=models.CharField(choices=[("rest", "rest"), ("grpc", "grpc"), ("join", "join")], max_length=4),
        ),
        migrations.AlterField(
            model_name="endpoint",
            name="url",
            field=models.CharField(blank=True, max_length=300),
        ),
    ]
