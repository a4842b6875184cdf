from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competition", "0013_people")]

    operations = [
        migrations.AlterField(
            model_name="endpoint",
            name="protocol",
            field=models.CharField(
                choices=[("rest", "rest"), ("grpc", "grpc"), ("join", "join"), ("image", "image")], max_length=5
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="protocol",
            field=models.CharField(blank=True, max_length=5),
        ),
    ]
